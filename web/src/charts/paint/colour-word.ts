const words = new Map<string, number>()

/** A CSS colour as a little-endian RGBA word, read back from a canvas so that every notation works. */
export function colourWord(css: string): number {
  const known = words.get(css)
  if (known !== undefined) return known
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = 1
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (context === null) return 0
  context.fillStyle = css
  context.fillRect(0, 0, 1, 1)
  const word = new Uint32Array(context.getImageData(0, 0, 1, 1).data.buffer)[0]!
  words.set(css, word)
  return word
}
