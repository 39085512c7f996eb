// The elements of a tensor: those that came with it, or fetched. Owns dtypes as bytes; must not know pages.

/** Bytes of a tensor beyond which it is only offered for download. */
export const MOST = 16 * 2 ** 20;

const ARRAYS = { f32: Float32Array, i32: Int32Array, i16: Int16Array, i8: Int8Array, u32: Uint32Array, u16: Uint16Array, u8: Uint8Array, bool: Uint8Array };

/** Bytes of each element. */
const WIDTHS = { f32: 4, f16: 2, bf16: 2, i64: 8, i32: 4, i16: 2, i8: 1, u32: 4, u16: 2, u8: 1, bool: 1 };

/** @param {{shape: number[]}} tensor */
export const count = (tensor) => tensor.shape.reduce((product, each) => product * each, 1);

/** @param {{shape: number[], dtype: string}} tensor */
export const bytes = (tensor) => count(tensor) * WIDTHS[tensor.dtype];

/** Where a tensor is, as a file. @param {{id: string}} tensor @param {string} format */
export const address = (tensor, format) => `/api/tensors/${tensor.id}/data?format=${format}`;

/**
 * The elements, row-major, as numbers; whole numbers that would lose digits as BigInt.
 * @param {{id?: string, shape: number[], dtype: string, data?: any[]}} tensor
 * @returns {Promise<ArrayLike<any>>}
 */
export async function elements(tensor) {
  if (tensor.data) return tensor.data.map((each) => (typeof each === "string" && /^-?\d+$/.test(each) ? BigInt(each) : Number(each)));
  const answer = await fetch(address(tensor, "raw"));
  if (!answer.ok) throw new Error((await answer.json()).detail);
  return decoded(await answer.arrayBuffer(), tensor.dtype);
}

/** The numbers in little-endian bytes. @param {ArrayBuffer} buffer @param {string} dtype @returns {ArrayLike<any>} */
function decoded(buffer, dtype) {
  if (dtype === "i64") return Array.from(new BigInt64Array(buffer), exact);
  if (dtype === "bf16") return new Float32Array(Uint32Array.from(new Uint16Array(buffer), (bits) => bits << 16).buffer);
  if (dtype === "f16") return Float32Array.from(new Uint16Array(buffer), half);
  return new ARRAYS[dtype](buffer);
}

const exact = (whole) => (Number.isSafeInteger(Number(whole)) ? Number(whole) : whole);

function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : (fraction / 1024) * 2 ** -14);
}
