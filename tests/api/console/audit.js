// What keeps a person from using the page as it is now: a list of sentences, empty when nothing does.
//
// By the rules of WCAG 2.2 AA that can be computed: names of controls, references, order of headings, what scrolls by
// keys, contrast of texts (4.5, by its formula of relative luminance) and of the edges of fields (3), width.
() => {
  const TEXT = 4.5;
  const EDGE = 3;
  const pixel = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const all = (selector) => [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility({ visibilityProperty: true }));
  const told = (element) => element.outerHTML.slice(0, 100);

  const textsOf = (element) => [
    element.ariaLabel,
    document.getElementById(element.getAttribute("aria-labelledby"))?.textContent,
    ...[...(element.labels ?? [])].map((label) => label.textContent),
    element.matches("a, button, summary") && element.textContent,
  ];
  const colour = (css) => {
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = css;
    pixel.fillRect(0, 0, 1, 1);
    return [...pixel.getImageData(0, 0, 1, 1).data];
  };
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const found = colour(getComputedStyle(each).backgroundColor);
      if (found[3] === 255) return found;
    }
    return colour(matchMedia("(prefers-color-scheme: dark)").matches ? "#121212" : "#fff");
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const faint = (element, css, least, what) => {
    const found = contrast(colour(css), behind(element));
    return css !== "rgba(0, 0, 0, 0)" && found < least ? [`${what} has a contrast of ${found.toFixed(2)}: ${told(element)}`] : [];
  };

  const nameless = all("a[href], button, input:not([type=hidden]), select, textarea, summary")
    .filter((each) => !textsOf(each).some((text) => text && text.trim()))
    .map((each) => `nothing names ${told(each)}`);
  const lost = ["for", "aria-labelledby", "aria-describedby"].flatMap((name) =>
    all(`[${name}]`)
      .filter((each) => each.getAttribute(name).split(" ").some((id) => id && !document.getElementById(id)))
      .map((each) => `${name} leads nowhere: ${told(each)}`),
  );
  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `two elements are called ${id}`);
  const levels = all("h1, h2, h3, h4").map((each) => Number(each.tagName[1]));
  const skipped = levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1).map((level) => `a heading ${level} skips one`);
  const stuck = all("main *")
    .filter((each) => /auto|scroll/.test(getComputedStyle(each).overflow))
    .filter((each) => each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1)
    .filter((each) => each.tabIndex < 0 && !each.querySelector("a, button, input, textarea, select"))
    .map((each) => `no key scrolls ${told(each)}`);
  const texts = all("body *:not(svg *, :disabled, :disabled *)").flatMap((each) => [
    ...([...each.childNodes].some((node) => node instanceof Text && node.data.trim()) ? faint(each, getComputedStyle(each).color, TEXT, "a text") : []),
    ...(each.placeholder ? faint(each, getComputedStyle(each, "::placeholder").color, TEXT, "a placeholder") : []),
    ...(each.matches("pre.code .line") ? faint(each, getComputedStyle(each, "::before").color, TEXT, "the number of a line") : []),
  ]);
  const edges = all("input:not([type=checkbox], [type=radio], [type=file], [type=hidden]), select, textarea:not(.editor *)").flatMap((each) =>
    faint(each.parentElement, getComputedStyle(each).borderTopColor, EDGE, "the edge of a field"),
  );
  const wide = document.documentElement.scrollWidth > innerWidth ? ["the page is wider than its window"] : [];
  return [...nameless, ...lost, ...twice, ...skipped, ...stuck, ...texts, ...edges, ...wide];
}
