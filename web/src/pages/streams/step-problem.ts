import { ApiProblem, problemText } from '../../api/problem'

/** The engine's objection to a step. */
export interface StepProblem {
  /** position of the step, from 0 */
  at: number
  code: string
  message: string
}

/** The step in the field of an error, such as `steps[2].map[0].bin`; undefined if there is none. */
export function stepProblemOf(error: unknown): StepProblem | undefined {
  if (!(error instanceof ApiProblem)) return undefined
  const at = /^steps\[(\d+)\]/.exec(error.field ?? '')?.[1]
  return at === undefined ? undefined : { at: Number(at), code: error.code, message: problemText(error) }
}
