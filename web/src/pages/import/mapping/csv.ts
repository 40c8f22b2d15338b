/**
 * First records of a CSV text in PostgreSQL's dialect: comma, double quotes, a quote inside quotes doubled,
 * newlines allowed inside quotes. Reads at most `most` records and leaves an incomplete last one out.
 */
export function readCsv(text: string, most: number): string[][] {
  const records: string[][] = []
  let record: string[] = []
  let field = ''
  let quoted = false
  for (let at = 0; at < text.length && records.length < most; at++) {
    const char = text[at]
    if (quoted) {
      if (char !== '"') field += char
      else if (text[at + 1] === '"') {
        field += '"'
        at++
      } else quoted = false
    } else if (char === '"') quoted = true
    else if (char === ',') {
      record.push(field)
      field = ''
    } else if (char === '\n') {
      record.push(field.endsWith('\r') ? field.slice(0, -1) : field)
      if (record.length > 1 || record[0] !== '') records.push(record)
      record = []
      field = ''
    } else field += char
  }
  return records
}

/** Length of the longest prefix that ends with a whole record: a newline outside quotes. 0 without one. */
export function wholeCsvPrefix(bytes: Uint8Array): number {
  const QUOTE = 0x22
  const NEWLINE = 0x0a
  let quoted = false
  let end = 0
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) quoted = !quoted
    else if (bytes[at] === NEWLINE && !quoted) end = at + 1
  }
  return end
}
