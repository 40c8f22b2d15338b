import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { RecoveryProgress } from '../components/namespaces/RecoveryProgress'
import { useStatusPart } from '../components/use-status'
import { t } from '../language/text'

const SHOWN = 3

/** Shown on every page while namespaces recover. When one has recovered, all queries are refetched. */
export function RecoveryBanner() {
  const queries = useQueryClient()
  const progress = useStatusPart((status) => status.progress) ?? []
  const left = useRef(0)
  useEffect(() => {
    if (progress.length < left.current) void queries.invalidateQueries()
    left.current = progress.length
  }, [progress.length, queries])
  if (progress.length === 0) return null
  return (
    <section className="banner" aria-label={t('Recovery')}>
      {progress.slice(0, SHOWN).map((one) => (
        <RecoveryProgress key={one.namespace} progress={one} />
      ))}
      <span className="mute">
        {progress.length > SHOWN &&
          t('{progress, plural, one {# more namespace} other {# more namespaces}} will follow.', {
            progress: progress.length - SHOWN,
          })}{' '}
        {t('Recovered namespaces are already served. This page updates by itself.')}
      </span>
    </section>
  )
}
