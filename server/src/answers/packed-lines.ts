// Lines of JSON as values of MessagePack, one after another. A thread of JavaScript does it, so only some in a turn.
import { setImmediate } from 'node:timers/promises'
import { packJson } from '../msgpack/from-json.js'

const NEWLINE = 0x0a
/** Of JSON. So many bytes take about a millisecond. */
const TURN_BYTES = 32 * 1024

/** A line may come in several pieces. */
export async function* packLines(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let open: Buffer[] = []
  for await (const piece of pieces) {
    let begin = 0
    while (begin < piece.length) {
      const end = endOfSome(piece, begin)
      const part = piece.subarray(begin, end)
      begin = end
      open.push(part)
      if (part.at(-1) !== NEWLINE) continue
      yield packed(Buffer.concat(open))
      open = []
      await setImmediate()
    }
  }
  if (open.length > 0) yield packed(Buffer.concat(open))
}

/** Where the lines end that fill a turn, or where the first one ends. Without an end of a line, all of the piece. */
function endOfSome(piece: Buffer, begin: number): number {
  const last = piece.lastIndexOf(NEWLINE, begin + TURN_BYTES - 1)
  const at = last >= begin ? last : piece.indexOf(NEWLINE, begin)
  return at === -1 ? piece.length : at + 1
}

const packed = (lines: Buffer): Buffer =>
  Buffer.concat(
    lines
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map(packJson),
  )
