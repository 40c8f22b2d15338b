// The load of `overload`, in a process of its own.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** @typedef {import('./overload-load.mjs').Run} Run */
/** @typedef {import('./overload-load.mjs').Outcome} Outcome */

export function startLoad() {
  const file = fileURLToPath(new URL('overload-load.mjs', import.meta.url))
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 2] })
  if (child.stdin === null || child.stdout === null) throw new Error('the load has no pipes')
  const { stdin, stdout } = child
  const answers = createInterface({ input: stdout })[Symbol.asyncIterator]()
  return {
    /** @param {Run} run @returns {Promise<Outcome>} */
    drive: async (run) => {
      stdin.write(`${JSON.stringify(run)}\n`)
      const { value, done } = await answers.next()
      if (done === true) throw new Error('the load ended')
      return JSON.parse(value)
    },
    stop: () => void child.kill(),
  }
}
