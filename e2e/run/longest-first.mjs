// The order of the files of a run: those that take longest begin first, so that none of them runs alone at the end.
import { basename } from 'node:path'
import { BaseSequencer } from 'vitest/node'

/** Small files that take long. Without figures of an earlier run, Vitest takes large files first. */
const long = [
  'schema',
  'dev',
  'lab-page',
  'cli',
  'pages',
  'every-chart',
  'permitted',
  'languages',
  'history',
  'many-namespaces',
]

/** @param {import('vitest/node').TestSpecification} file */
const placeOf = ({ moduleId }) => {
  const place = long.indexOf(basename(moduleId, '.test.ts'))
  return place === -1 ? long.length : place
}

export class LongestFirst extends BaseSequencer {
  /** @override @param {import('vitest/node').TestSpecification[]} files */
  async sort(files) {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}
