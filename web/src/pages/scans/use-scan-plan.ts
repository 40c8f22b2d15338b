import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { explainScan } from '../../api/explain'
import { ApiProblem, problemText } from '../../api/problem'
import type { ScanPlan } from '../../api/types'
import { useSettled } from '../../components/use-settled'

export interface PlanState {
  plan: ScanPlan | undefined
  error: unknown
  /** the engine's objection to the requested plan, for its field */
  refused: string | undefined
}

/** The plan of a scan, requested again when the form has settled; `body` is the request's JSON text. */
export function useScanPlan(ns: string, body: string, valid: boolean): PlanState {
  const settled = useSettled(body)
  const { data, error } = useQuery({
    queryKey: ['plan', 'scan', ns, settled],
    queryFn: () => explainScan(ns, settled),
    enabled: valid && ns !== '' && settled === body,
    placeholderData: keepPreviousData,
  })
  const refused = error instanceof ApiProblem && error.field === 'plan' ? problemText(error) : undefined
  return { plan: data, error, refused }
}
