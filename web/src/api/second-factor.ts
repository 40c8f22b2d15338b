import { ApiProblem } from '@tessera/client'
import type { Me } from './types'

/** Whether the password was right, and a code is needed, too. */
export const isCodeWanted = (error: unknown): boolean => error instanceof ApiProblem && error.code === 'code_required'

/** Whether a session may do nothing until its user has set up a second factor. */
export const lacksFactor = ({ secondFactor }: Pick<Me, 'secondFactor'>): boolean =>
  secondFactor?.needed === true && secondFactor.since === undefined
