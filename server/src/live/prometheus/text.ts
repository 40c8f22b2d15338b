// The text format of Prometheus, version 0.0.4. Histograms have their exact edges only.
// https://prometheus.io/docs/instrumenting/exposition_formats/
import type { Family, HistogramSample, Labels } from './family.js'

export const TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export function textOf(families: readonly Family[]): string {
  return families.map((family) => `${linesOf(family).join('\n')}\n`).join('')
}

function linesOf(family: Family): string[] {
  const { name, help, type } = family
  const head = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
  return family.type === 'histogram'
    ? [...head, ...family.samples.flatMap((sample) => histogramLines(name, sample))]
    : [...head, ...family.samples.map(({ labels, value }) => `${name}${labelText(labels)} ${value}`)]
}

function histogramLines(name: string, { labels, count, sum, edges }: HistogramSample): string[] {
  const bucket = (le: string, upTo: number): string => `${name}_bucket${labelText({ ...labels, le })} ${upTo}`
  return [
    ...edges.map(([le, upTo]) => bucket(String(le), upTo)),
    bucket('+Inf', count),
    `${name}_sum${labelText(labels)} ${sum}`,
    `${name}_count${labelText(labels)} ${count}`,
  ]
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

/** A path may have any character. */
const escaped = (value: string): string =>
  value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))
