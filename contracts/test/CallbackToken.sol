// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A token that can call a contract in the middle of a transfer.
contract CallbackToken is ERC20("Callback", "CBK") {
    address private target;
    bytes private data;

    /// What the latest call returned, or the error it reverted with.
    bytes public answer;

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    /// Makes the next transfer, and only that one, call `target_` with `data_`.
    function callOnTransfer(address target_, bytes calldata data_) external {
        (target, data) = (target_, data_);
    }

    function _update(address from, address to, uint256 amount) internal override {
        super._update(from, to, amount);
        bytes memory call = data;
        if (call.length == 0) return;
        delete data;
        // A call that fails leaves its reason in the answer.
        // forge-lint: disable-next-line(unchecked-call)
        (, answer) = target.call(call);
    }
}
