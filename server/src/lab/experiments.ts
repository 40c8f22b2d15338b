// The list of experiments.
import type { Experiment } from './experiment.js'
import { pageSize } from './page-size.js'
import { parallelIndex } from './parallel-index.js'
import { segments } from './segments.js'
import { setIndex } from './set-index.js'
import { tps } from './tps.js'

export const experiments: readonly Experiment[] = [pageSize, parallelIndex, segments, setIndex, tps]
