// The text format of Prometheus, version 0.0.4. Histograms have their exact edges only.
// https://prometheus.io/docs/instrumenting/exposition_formats/
import type { Family, HistogramSample, Labels } from './family.js'
import type { Steps } from './turns.js'

export const TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** So much text becomes bytes at once. */
const PIECE_LENGTH = 64 * 1024

/** A step is a sample. */
export function* textOf(families: readonly Family[]): Steps<Buffer> {
  const pieces: Buffer[] = []
  let text = ''
  for (const family of families) {
    const { name, help, type } = family
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
    for (const lines of linesOf(family)) {
      text += lines
      if (text.length >= PIECE_LENGTH) {
        pieces.push(Buffer.from(text))
        text = ''
      }
      yield
    }
  }
  return Buffer.concat([...pieces, Buffer.from(text)])
}

function* linesOf(family: Family): Generator<string> {
  const { name } = family
  if (family.type === 'histogram') for (const sample of family.samples) yield histogramLines(name, sample)
  else for (const { labels, value } of family.samples) yield `${name}${inBraces(labelText(labels))} ${value}\n`
}

function histogramLines(name: string, { labels, count, sum, edges }: HistogramSample): string {
  const own = labelText(labels)
  const bucket = `${name}_bucket{${own}${own === '' ? '' : ','}le="`
  const buckets = edges.map(([le, upTo]) => `${bucket}${le}"} ${upTo}\n`).join('')
  const whole = inBraces(own)
  return `${buckets}${bucket}+Inf"} ${count}\n${name}_sum${whole} ${sum}\n${name}_count${whole} ${count}\n`
}

const inBraces = (labels: string): string => (labels === '' ? '' : `{${labels}}`)

const labelText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')

/** A path may have any character. */
const escaped = (value: string): string =>
  value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))
