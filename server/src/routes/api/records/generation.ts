// The generation of a record, read out of what the core has written.
const GENERATION = Buffer.from('"generation":')

/** The core writes it before the bins, and no JSON string can hold its name unescaped. */
export function generationIn(record: Buffer): string {
  let at = record.indexOf(GENERATION) + GENERATION.length
  const start = at
  while (record[at] !== undefined && (record[at] as number) >= 0x30 && (record[at] as number) <= 0x39) at += 1
  return record.toString('latin1', start, at)
}
