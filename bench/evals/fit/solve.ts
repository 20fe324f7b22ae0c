/** Solves `matrix · x = right` by elimination with row pivots; the matrix must be regular. */
export function solve(matrix: readonly ArrayLike<number>[], right: ArrayLike<number>): Float64Array {
  const size = right.length;
  const rows: Float64Array[] = matrix.map((row, index) => Float64Array.from([...Array.from(row), right[index] ?? 0]));
  for (let column = 0; column < size; column++) {
    let pivot = column;
    for (let row = column + 1; row < size; row++) {
      if (Math.abs(at(rows, row, column)) > Math.abs(at(rows, pivot, column))) pivot = row;
    }
    [rows[column], rows[pivot]] = [rowAt(rows, pivot), rowAt(rows, column)];
    for (let row = 0; row < size; row++) {
      if (row === column) continue;
      const factor = at(rows, row, column) / at(rows, column, column);
      for (let index = column; index <= size; index++)
        addTo(rowAt(rows, row), index, -factor * at(rows, column, index));
    }
  }
  return Float64Array.from({ length: size }, (_, index) => at(rows, index, size) / at(rows, index, index));
}

function rowAt(rows: readonly Float64Array[], row: number): Float64Array {
  return rows[row] ?? new Float64Array();
}

function at(rows: readonly Float64Array[], row: number, column: number): number {
  return rows[row]?.[column] ?? 0;
}

export function addTo(sums: Float64Array, index: number, amount: number): void {
  sums[index] = (sums[index] ?? 0) + amount;
}
