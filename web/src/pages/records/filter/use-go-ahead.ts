import { useState } from 'react'
import type { Asked } from '../../../records/found'
import type { Plan } from '../../query/plan/plan'
import { isLarge } from './hint'

/** Whether the reader has to agree before a list is read that reads very much. */
export function useGoAhead(asked: Asked, plan: Plan | undefined): { asks: boolean; goAhead: () => void } {
  const [agreed, setAgreed] = useState<Asked>()
  return {
    asks: plan !== undefined && isLarge(plan) && agreed !== asked,
    goAhead: () => setAgreed(asked),
  }
}
