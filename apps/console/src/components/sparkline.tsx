import { Skeleton } from '@mantine/core';
import { lazyScreen } from '../lazy-screen';
import { Part } from './part';

const Drawing = lazyScreen(() => import('./chart-drawing'), 'SparklineDrawing');
const HEIGHT = 32;

/** The course of a number in the space of a line or two: no axes, so its label says what matters of it. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  return (
    <div role="img" aria-label={label}>
      <Part waiting={<Skeleton height={HEIGHT} />}>
        <Drawing values={values} height={HEIGHT} />
      </Part>
    </div>
  );
}
