// What an experiment is: published figures, and a run that repeats them with the calls of the public API.
import type { Claim, LabRow, Published, Scale } from '../schemas/jobs/lab.js'
import { english, saidOf, type Sentence } from '../sentences/sentence.js'
import type { Caller } from './caller.js'

/** What a run gives an experiment. */
export interface Bench {
  api: Caller
  scale: Scale
  /** Names of the experiment's namespaces begin with this. */
  prefix: string
  /** Aborted when the run must end. */
  signal: AbortSignal
  /** `says`: one line for people. `done`: 0 to 1. */
  progress: (says: Sentence, done: number) => void
}

export interface Outcome {
  parameters: Record<string, unknown>
  rows: LabRow[]
  claims: Claim[]
  /** What disturbed the measurement, one sentence each. */
  notes?: Sentence[]
}

export interface Experiment {
  id: string
  title: string
  /** What it repeats. */
  repeats: string
  published: Published
  run: (bench: Bench) => Promise<Outcome>
}

/** A claim from a value of this run's rows. */
export function claim(id: string, says: Sentence, value: number, unit: string, bound: number, atMost = false): Claim {
  // Judge the shown value, not the unrounded one.
  const shown = Math.round(value * 1000) / 1000
  return {
    id,
    says: english(says),
    ...saidOf(says),
    value: shown,
    unit,
    bound,
    holds: atMost ? shown <= bound : shown >= bound,
  }
}
