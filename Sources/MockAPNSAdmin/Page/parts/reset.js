// Starting over: not only the pushes go, as with Delete.

import { anew, confirmed, post, said } from '../base.js';

/** Whether it was wanted. */
export async function reset() {
  if (!(await confirmed('Reset the server? The log, devices, screens and rules start over as the scenario says; connections stay open.', 'Reset'))) return false;
  await post('/reset');
  said('Started over.');
  anew();
  return true;
}
