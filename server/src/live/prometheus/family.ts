// Metrics as Prometheus knows them, before they are written in one of its formats.

export type Labels = Readonly<Record<string, string>>

interface Named {
  name: string
  help: string
}

export interface Sample {
  labels: Labels
  value: number
}

export interface HistogramSample {
  labels: Labels
  count: number
  /** Seconds. */
  sum: number
  /** Upper edges in seconds with the counts at or under them: exact, and cumulative. */
  edges: readonly (readonly [le: number, count: number])[]
  /** Counts by index of an exponential bucket, in the order of the indexes. Only one of the formats asks. */
  exponential: () => readonly (readonly [index: number, count: number])[]
}

export type Family =
  | (Named & { type: 'gauge' | 'counter'; samples: readonly Sample[] })
  | (Named & { type: 'histogram'; samples: Iterable<HistogramSample> })

type Samples = number | readonly (readonly [Labels, number])[]

const family =
  (type: 'gauge' | 'counter') =>
  (name: string, help: string, samples: Samples): Family => ({
    type,
    name: `tessera_${name}`,
    help,
    samples:
      typeof samples === 'number'
        ? [{ labels: {}, value: samples }]
        : samples.map(([labels, value]) => ({ labels, value })),
  })

/** A value that goes up and down. */
export const gauge = family('gauge')
/** A value that grows until the server stops. */
export const counter = family('counter')
