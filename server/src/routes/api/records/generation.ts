// The generation of a record, read out of what the core has written.
const ZERO = 0x30
const NINE = 0x39
const GENERATION = Buffer.from('"generation":')

/** The core writes it before the bins, and no JSON string can hold its name unescaped. */
export function generationIn(record: Buffer): number {
  let generation = 0
  for (let at = record.indexOf(GENERATION) + GENERATION.length; ; at += 1) {
    const digit = record[at]
    if (digit === undefined || digit < ZERO || digit > NINE) return generation
    generation = generation * 10 + digit - ZERO
  }
}
