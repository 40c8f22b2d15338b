import { QueryClient } from '@tanstack/react-query'

/** No retries behind the reader's back: an error is shown, with a button to try again. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 2000, refetchOnWindowFocus: false },
    mutations: { retry: false },
  },
})
