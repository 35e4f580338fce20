// Starting over: not only the pushes go, as with Delete.

import { anew, confirmed, post, said } from '../base.js';

export async function reset() {
  if (!(await confirmed('Reset the server? The log, devices, screens and rules start over as the scenario says; connections stay open.', 'Reset'))) return;
  await post('/reset');
  said('Started over.');
  anew();
}
