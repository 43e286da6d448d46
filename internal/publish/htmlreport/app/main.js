import {Index} from "./data.js";
import {OUTCOMES, outcome} from "./outcome.js";
import {Page, route} from "./page.js";
import {FileSource, ServerSource, takeToken} from "./source.js";
import {select} from "./filter.js";
import {byId, facts, visible} from "./text.js";

export {OUTCOMES, byId, outcome, select, visible};
export let page;

(async () => {
  try {
    byId("legend").replaceChildren(facts(OUTCOMES.map((o) => [o.title, o.about])));
    takeToken();
    const {key, prefix} = route(location.hash);
    const file = byId("index") !== null;
    if (!file && !key) {
      byId("status").textContent = "No run is open. Its address ends in #/run/KEY/requests.";
      return;
    }
    const source = file ? new FileSource() : new ServerSource(key);
    const index = new Index(await source.part("index"));
    byId("viewer").hidden = false;
    page = new Page(source, index, prefix);
  } catch (err) {
    byId("status").textContent = "The requests cannot be shown: " + err.message;
    throw err;
  }
})();
