// The list of experiments.
import type { Experiment } from './experiment.js'
import { pageSize } from './page-size/page-size.js'
import { parallelIndex } from './parallel-index/parallel-index.js'
import { segments } from './segments/segments.js'
import { setIndex } from './set-index/set-index.js'
import { tps } from './tps/tps.js'

export const experiments: readonly Experiment[] = [pageSize, parallelIndex, segments, setIndex, tps]
