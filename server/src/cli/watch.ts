// Waiting for work of the server that takes its time.
import { setTimeout } from 'node:timers/promises'
import type { Context } from './context.js'
import { CliFailure } from './failure.js'
import { tell } from './output.js'

export interface Work {
  id: string
  state: string
  error?: { code: string; message: string }
}

interface Progress extends Work {
  done?: number
  total?: number
  unit?: string
}

/** How often a command looks whether the work has ended. */
const LOOK_MS = 500
const ENDED: ReadonlySet<string> = new Set(['done', 'failed', 'aborted'])

/** Waits for the end, with a line per change for whoever looks on, and prints the result. */
export async function watch(context: Context, path: string): Promise<void> {
  let said = ''
  for (;;) {
    const work = await context.client.call<Progress>('GET', path)
    const { state, done, total, unit = '' } = work
    if (ENDED.has(state)) {
      await context.show(work)
      if (state === 'done') return
      throw new CliFailure(work.error?.code ?? 'aborted', work.error?.message ?? `it was ${state}`)
    }
    const says = done === undefined ? state : `${state}: ${done}${total === undefined ? '' : ` of ${total}`} ${unit}`
    if (says !== said && process.stderr.isTTY) tell(says)
    said = says
    await setTimeout(LOOK_MS)
  }
}
