// A reporter of Vitest that writes what `npm test` tells of a suite: its counts, and the seconds of each file, hooks included.
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'

/** @typedef {import('vitest/node').Reporter} Reporter */

/** @implements {Reporter} */
export default class CountingReporter {
  /** @type {import('vitest/node').Vitest | undefined} */
  #vitest

  /** @param {import('vitest/node').Vitest} vitest */
  onInit(vitest) {
    this.#vitest = vitest
  }

  /** @param {readonly import('vitest/node').TestModule[]} modules */
  onTestRunEnd(modules) {
    const { outputFile, root } = this.#vitest?.config ?? {}
    if (typeof outputFile !== 'string') throw new Error('--outputFile says where the counts go')
    const count = (/** @type {'passed' | 'failed'} */ state) =>
      modules.reduce((sum, { children }) => sum + [...children.allTests(state)].length, 0)
    const parts = modules.map((module) => {
      const { duration, collectDuration, setupDuration } = module.diagnostic()
      return {
        name: relative(root ?? '', module.moduleId),
        seconds: (duration + collectDuration + setupDuration) / 1000,
      }
    })
    writeFileSync(outputFile, JSON.stringify({ passed: count('passed'), failed: count('failed'), parts }))
  }
}
