import { useRouter } from '@tanstack/react-router'
import { useCallback } from 'react'

/**
 * Says whether the page of this address is still the one to show. While another page loads, a page must not write its own
 * address: that would call the other off.
 */
export function usePageShown(path: '/query' | '/streams'): () => boolean {
  const router = useRouter()
  return useCallback(() => router.latestLocation.pathname === path, [router, path])
}
