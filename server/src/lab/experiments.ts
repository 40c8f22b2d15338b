// The experiments that there are.
import type { Experiment } from './experiment.js'
import { tps } from './tps.js'

export const experiments: readonly Experiment[] = [tps]
