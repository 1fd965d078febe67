import { itConforms } from '../support/conformance/suite';
import { Stack } from '../support/stack';

itConforms(async () => Stack.start({ worker: false }));
