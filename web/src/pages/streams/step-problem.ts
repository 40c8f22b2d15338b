import { ApiProblem } from '../../api/problem'

/** What the engine has against a step. */
export interface StepProblem {
  /** its place, from 0 */
  at: number
  code: string
  message: string
}

/** The step that an error names, as `steps[2].map[0].bin`; undefined where it names none. */
export function stepProblemOf(error: unknown): StepProblem | undefined {
  if (!(error instanceof ApiProblem)) return undefined
  const at = /^steps\[(\d+)\]/.exec(error.field ?? '')?.[1]
  return at === undefined ? undefined : { at: Number(at), code: error.code, message: error.message }
}
