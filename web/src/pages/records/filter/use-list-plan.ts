import { useQuery } from '@tanstack/react-query'
import { explainQuery } from '../../../api/explain'
import { type Asked, foundBody, isPlain } from '../../../records/found'
import { readPlan } from '../../query/plan/plan'
import { PAGE, SORTED_PAGE } from '../list/use-record-window'

/** How the records of a list are found, before they are. A list without a filter and an order needs no plan. */
export function useListPlan(ns: string, set: string | undefined, asked: Asked) {
  const body = foundBody(set ?? '', asked, asked.by === undefined ? PAGE : SORTED_PAGE)
  return useQuery({
    queryKey: ['plan', 'query', ns, body],
    queryFn: async ({ signal }) => readPlan(await explainQuery(ns, body, { signal })),
    enabled: set !== undefined && !isPlain(asked),
    staleTime: 30_000,
  })
}
