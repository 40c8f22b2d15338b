import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiProblem } from './problem'

const RETRY_MS = 1000

/** A recovering namespace comes back by itself; the shell shows the progress. */
const recovers = (_failures: number, error: Error): boolean => error instanceof ApiProblem && error.code === 'starting'

/** The role that the console knew is no longer that of the caller, so it is read again. */
function onError(error: Error): void {
  if (error instanceof ApiProblem && error.code === 'role_required')
    void queryClient.invalidateQueries({ queryKey: ['me'] })
}

/** No other automatic retries: an error is shown with a button to try again. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: { retry: recovers, retryDelay: RETRY_MS, staleTime: 2000, refetchOnWindowFocus: false },
    mutations: { retry: false },
  },
})
