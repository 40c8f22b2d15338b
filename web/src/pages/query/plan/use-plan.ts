import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { explainQuery } from '../../../api/explain'
import { useSettled } from '../../../components/use-settled'
import { type Plan, readPlan } from './plan'

/** The plan of a request, requested again when the request has settled; `body` is its JSON text. */
export function usePlan(
  of: 'query' | 'stream',
  ns: string,
  body: string,
  valid: boolean,
): { data: Plan | undefined; error: unknown } {
  const settled = useSettled(body)
  return useQuery({
    queryKey: ['plan', of, ns, settled],
    queryFn: async ({ signal }) => readPlan(await explainQuery(ns, settled, { of, signal })),
    enabled: valid && ns !== '' && settled === body,
    placeholderData: keepPreviousData,
  })
}
