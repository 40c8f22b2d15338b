import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { connection } from '../live/connection'

/**
 * Reads all that a page shows again when a lost stream is back: the server may be another one, and reads that failed
 * meanwhile would stay failed.
 */
export function useReadsAfterLoss(): void {
  const queries = useQueryClient()
  useEffect(() => {
    let isLost = false
    return connection.onState(() => {
      if (isLost && connection.state === 'live') void queries.invalidateQueries()
      isLost = connection.state !== 'live'
    })
  }, [queries])
}
