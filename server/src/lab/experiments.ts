// The experiments that there are.
import type { Experiment } from './experiment.js'
import { setIndex } from './set-index.js'
import { tps } from './tps.js'

export const experiments: readonly Experiment[] = [setIndex, tps]
