// Money and lists as the server writes and reads them, for the scripts of the counter.
globalThis.counterMoney = ({ currency, exponent, whole }) => {
  const places = +exponent, unit = 10 ** places;
  return {
    money(minor) {
      const rest = minor % unit, number = String((minor - rest) / unit).replace(/\B(?=(\d{3})+$)/g, ',');
      return number + (places && (whole !== '1' || rest) ? '.' + String(rest).padStart(places, '0') : '');
    },
    // Minor units; null for what is no amount of the currency.
    amount(text) {
      let t = text.replace(/\s/g, '').replace(new RegExp(`^${currency}|${currency}$`, 'i'), '');
      if (/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(t)) t = t.replaceAll(',', '');
      const m = /^(\d{1,12})(?:[.,](\d+))?$/.exec(t);
      if (!m || (m[2] || '').length > places) return null;
      return +m[1] * unit + +((m[2] || '').padEnd(places, '0') || 0);
    },
  };
};
counterMoney.list = names => names.length < 2 ? names.join('') : names.slice(0, -1).join(', ') + ' and ' + names.at(-1);
counterMoney.many = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;
