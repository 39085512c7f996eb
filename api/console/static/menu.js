// The menu, which a phone scrolls: begins where one is.

document.querySelector("nav [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
