import type { Mark } from '../../live/frame'

/** As `.events .at` has it, CSS pixels: the widest box of the words, and what is around them. */
const MOST_WORDS_PX = 108
const PADDING_PX = 16
/** The line at the chip's place, and the gap to the next chip. */
const AROUND_PX = 8
const FONT_PX = 11
/** If the browser draws no text: wider than nearly all letters. */
const LETTER_PX = 8

/** Words whose width is remembered; then all are measured again. */
const MOST_REMEMBERED = 1000

let context: CanvasRenderingContext2D | null | undefined
const measured = new Map<string, number>()

/** The width of words in bold, which the number of a group is. Lanes ask for the same words each second. */
function wordsPx(words: string): number {
  const known = measured.get(words)
  if (known !== undefined) return known
  if (measured.size >= MOST_REMEMBERED) measured.clear()
  const width = measure(words)
  measured.set(words, width)
  return width
}

function measure(words: string): number {
  context ??= document.createElement('canvas').getContext('2d')
  if (context === null) return words.length * LETTER_PX
  context.font = `600 ${FONT_PX}px ${getComputedStyle(document.body).fontFamily}`
  return Math.ceil(context.measureText(words).width)
}

/** What a chip takes of a lane, CSS pixels. A chip takes at most half of it, so that one side has room for it. */
export function chipPx({ text }: Mark, count: number, lane: number): number {
  const words = Math.min(MOST_WORDS_PX, wordsPx(count > 1 ? `${count} ${text}` : text))
  return Math.min(words + PADDING_PX + AROUND_PX, lane / 2)
}
