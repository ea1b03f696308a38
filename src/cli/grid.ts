/** Lines of columns of equal width, the last one as long as it is. Columns of numbers stand to the right. */
export function gridLines(rows: readonly (readonly string[])[], right: ReadonlySet<number> = new Set()): string[] {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const widths = Array.from({ length: columns }, (_, i) =>
    rows.reduce((most, row) => Math.max(most, row[i]?.length ?? 0), 0),
  );
  return rows.map((row) =>
    row
      .map((cell, i) =>
        right.has(i) ? cell.padStart(widths[i]) : i === row.length - 1 ? cell : cell.padEnd(widths[i]),
      )
      .join('  ')
      .trimEnd(),
  );
}
