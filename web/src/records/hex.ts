const PER_LINE = 16

/** Bytes as lines of offset, hexadecimal digits and printable ASCII; `from` is a multiple of 16. */
export function hexLines(all: Uint8Array, from: number, to: number): string {
  const digits = Math.max(4, all.length.toString(16).length)
  const lines: string[] = []
  for (let at = from; at < Math.min(to, all.length); at += PER_LINE) {
    const line = [...all.subarray(at, Math.min(at + PER_LINE, all.length))]
    const hex = line.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const text = line.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.')).join('')
    lines.push(`${at.toString(16).padStart(digits, '0')}  ${hex.padEnd(PER_LINE * 3 - 1)}  ${text}`)
  }
  return lines.join('\n')
}
