import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { alertMarksQuery } from '../api/events'
import { useMay } from '../api/use-may'
import { eventLog } from '../live/event-log'
import { useLiveHealth } from '../live/use-connection'

const isWanted = (): boolean => eventLog.isWanted

/** Reads the alerts that charts mark: once a chart shows events, and again when the health changes. */
export function AlertMarks() {
  const queries = useQueryClient()
  const may = useMay()
  const wanted = useSyncExternalStore(eventLog.subscribe, isWanted)
  const health = useLiveHealth()
  const read = useRef(health)
  useQuery({ ...alertMarksQuery(), enabled: wanted && may('listAlertEvents') })
  useEffect(() => {
    if (read.current === health) return
    read.current = health
    void queries.invalidateQueries({ queryKey: alertMarksQuery().queryKey })
  }, [queries, health])
  return null
}
