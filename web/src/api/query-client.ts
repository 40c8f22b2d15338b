import { QueryClient } from '@tanstack/react-query'
import { ApiProblem } from './problem'

const RETRY_MS = 1000

/** A recovering namespace comes back by itself; the shell shows the progress. */
const recovers = (_failures: number, error: Error): boolean => error instanceof ApiProblem && error.code === 'starting'

/** No other automatic retries: an error is shown with a button to try again. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: recovers, retryDelay: RETRY_MS, staleTime: 2000, refetchOnWindowFocus: false },
    mutations: { retry: false },
  },
})
