import type { SearchSchemaInput } from '@tanstack/react-router'
import { setOf, textOf } from '../../../search'

export const sampleSizes = [100, 1000, 5000, 10_000] as const
export type SampleSize = (typeof sampleSizes)[number]
export const SAMPLE_DEFAULT: SampleSize = 1000

export interface SchemaSearch {
  /** empty: records without a set; unset: all records */
  set?: string | undefined
  sample?: SampleSize | undefined
  /** another one takes other records */
  seed?: number | undefined
  /** the bin whose details are open */
  bin?: string | undefined
}

export function readSchemaSearch(raw: SchemaSearch & SearchSchemaInput): SchemaSearch {
  const seed: unknown = raw.seed
  return {
    set: setOf(raw.set),
    sample: sampleSizes.find((size) => size === raw.sample && size !== SAMPLE_DEFAULT),
    seed: typeof seed === 'number' && Number.isSafeInteger(seed) && seed > 0 ? seed : undefined,
    bin: textOf(raw.bin),
  }
}
