import { useStatusPart } from '../../components/use-status'

/** Names the environment in the bar if it is staging or production, where a mistake would hurt. */
export function InstanceChip() {
  const environment = useStatusPart((status) => status.environment) ?? 'development'
  if (environment === 'development') return null
  return <strong className={`chip ${environment === 'production' ? 'bad' : 'warn'}`}>{environment}</strong>
}
