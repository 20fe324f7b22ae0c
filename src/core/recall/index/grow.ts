/** The array, or a copy with room for `length` numbers and as many again. */
export function grow(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  if (length <= array.length) return array;
  const larger = new Uint32Array(length * 2);
  larger.set(array);
  return larger;
}
