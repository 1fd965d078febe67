import { TemporaryFolder } from '../support/temporary-folder';
import { Namespace } from './namespace';

/** What this machine lets the tests do: root in a container may do less than root. */
export const MAY = {
  cutLinks: succeeds(() => {
    const space = Namespace.make();
    try {
      space.addInterface();
    } finally {
      space.remove();
    }
  }),
  fillDisks: succeeds(() => TemporaryFolder.make('greenroom-trial-', 1).remove()),
};

function succeeds(trial: () => void): boolean {
  try {
    trial();
    return true;
  } catch {
    return false;
  }
}
