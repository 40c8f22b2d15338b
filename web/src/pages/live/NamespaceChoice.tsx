import { t } from '../../language/text'
import type { Feed } from '../../live/feed'
import { useFeedValue } from '../../live/use-feed'
import { plainChoices, SmallSelect } from '../../ui/inputs'

interface Props {
  feed: Feed
  value: string | undefined
  onChange: (namespace: string | undefined) => void
}

/** The namespaces that the frames name. The page does not render again when they come. */
export function NamespaceChoice({ feed, value, onChange }: Props) {
  const seen = useFeedValue(feed, ({ buffer }) => buffer.namespaces)
  const names = value === undefined || seen.includes(value) ? seen : [...seen, value]
  return (
    <SmallSelect
      label={t('Namespace')}
      value={value ?? ''}
      choices={[{ value: '', label: t('all namespaces') }, ...plainChoices(names)]}
      onChange={(chosen) => onChange(chosen === '' ? undefined : chosen)}
    />
  )
}
