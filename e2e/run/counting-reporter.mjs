// A reporter of Vitest that writes what `npm test` tells of a suite: its counts, the seconds of each file, hooks included, and
// what failed.
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'

/** @typedef {import('vitest/node').Reporter} Reporter @typedef {import('vitest').TestError} TestError */

/** @param {string} name @param {readonly Pick<TestError, 'message' | 'diff' | 'stacks'>[]} errors */
const told = (name, errors) =>
  errors.map(({ message, diff, stacks = [] }) => {
    const places = stacks.slice(0, 1).map(({ file, line }) => `at ${relative(process.cwd(), file)}:${line}`)
    return [name, message, ...(diff === undefined ? [] : [diff]), ...places].join('\n')
  })

/** @implements {Reporter} */
export default class CountingReporter {
  /** @type {import('vitest/node').Vitest | undefined} */
  #vitest

  /** @param {import('vitest/node').Vitest} vitest */
  onInit(vitest) {
    this.#vitest = vitest
  }

  /**
   * @param {readonly import('vitest/node').TestModule[]} modules
   * @param {readonly Pick<TestError, 'message' | 'diff' | 'stacks'>[]} outside errors of no test
   */
  onTestRunEnd(modules, outside) {
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
    const failures = modules.flatMap((module) => {
      const file = relative(root ?? '', module.moduleId)
      const inside = [...module.children.allSuites(), ...module.children.allTests('failed')]
      return [
        ...told(file, module.errors()),
        ...inside.flatMap((one) =>
          told(`${file} > ${one.fullName}`, one.type === 'suite' ? one.errors() : (one.result().errors ?? [])),
        ),
      ]
    })
    failures.push(...told('outside of a test', outside))
    writeFileSync(outputFile, JSON.stringify({ passed: count('passed'), failed: count('failed'), parts, failures }))
  }
}
