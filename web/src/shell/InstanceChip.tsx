import { useStatus } from '../components/use-status'

/** Named in the bar where a mistake would hurt: staging and production. */
export function InstanceChip() {
  const environment = useStatus()?.environment ?? 'development'
  if (environment === 'development') return null
  return <strong className={`chip ${environment === 'production' ? 'bad' : 'warn'}`}>{environment}</strong>
}
