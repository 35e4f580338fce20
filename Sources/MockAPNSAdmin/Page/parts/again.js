// A push sent again, and who sends it then: the server cannot sign for the original's provider.

import { post, said } from '../base.js';
import { again } from './copies.js';
import { statusWord } from './status.js';

const who = ({ method, keyID, teamID }) => (method === 'token' ? `key ${keyID ?? '?'} of team ${teamID ?? '?'}` : method === 'certificate' ? 'a client certificate' : 'a client without a provider token');

/** What cannot be kept of who sent it: a sentence, or nothing if it is the same provider. */
function otherSender({ authentication: one }, { authentication: other }) {
  if (who(one) === who(other)) return '';
  return `Sent by ${who(other)}; the original was sent by ${who(one)}${one.method === 'none' ? '' : ', for which the server cannot sign'}.`;
}

export async function sendAgain(record) {
  const sent = await post('/pushes', again(record));
  said(`Sent again as ${sent.sequence}: ${statusWord(sent)}. ${otherSender(record, sent)}`.trim());
}
