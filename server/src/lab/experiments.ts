// The experiments that there are.
import type { Experiment } from './experiment.js'
import { parallelIndex } from './parallel-index.js'
import { setIndex } from './set-index.js'
import { tps } from './tps.js'

export const experiments: readonly Experiment[] = [parallelIndex, setIndex, tps]
