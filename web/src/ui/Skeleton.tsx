import { t } from '../language/text'

/** Grey lines as high as the coming content, so that nothing jumps. */
export function Skeleton({ lines = 4, height = 18 }: { lines?: number; height?: number }) {
  return (
    <div className="stack-small" role="status" aria-busy="true" aria-label={t('Loading')}>
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} className="skeleton" style={{ height, width: index % 3 === 2 ? '72%' : '100%' }} />
      ))}
    </div>
  )
}
